"""Questions from many fields, on which the floor of an answerer is measured.

Few FAQs have an entry for any of them. Those that have one answer it, and the floor is a little too
high for them: it is no promise.
"""

QUESTIONS = (
    "How long do I boil an egg?",
    "Who painted the ceiling of the Sistine Chapel?",
    "Why is the sky blue?",
    "How do bees make honey?",
    "How many players are in a rugby team?",
    "How do I change a flat tyre?",
    "What does a catalytic converter do?",
    "How far away is the moon?",
    "What is the difference between weather and climate?",
    "Can dogs eat chocolate?",
    "Why do leaves turn red in autumn?",
    "How do I tune a guitar?",
    "Who wrote War and Peace?",
    "How do I prove that there are infinitely many primes?",
    "What causes a solar eclipse?",
    "How deep is the Pacific Ocean?",
    "How can I sleep better at night?",
    "How much water should I drink each day?",
    "How do vaccines work?",
    "How do I remove a wine stain from a carpet?",
    "Which wood is best for a garden table?",
    "How do I apply for a passport?",
    "What is inflation?",
    "Do I have to pay tax on a gift?",
    "How do I say thank you in Japanese?",
    "How do I get from the airport to the city centre?",
    "What is the check-in time of the hotel?",
    "How do I reset my password?",
    "Why is my internet connection so slow?",
    "How do I back up my phone?",
    "How do I sort a list in Python?",
    "Who won the last football world cup?",
    "How does an aeroplane stay in the air?",
    "What is the meaning of life?",
    "asdf qwerty zxcv",
)
