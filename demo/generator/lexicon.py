"""Invented vocabulary: topics whose who, act and where combine freely, each phrase with a paraphrase."""

from dataclasses import dataclass

Phrase = tuple[str, str]  # (wording, another wording of the same thing)


@dataclass(frozen=True)
class Topic:
    """One field of life: ``general`` follows from any act of the topic, ``contrary`` excludes all of them."""

    whos: tuple[Phrase, ...]
    acts: tuple[Phrase, ...]
    wheres: tuple[Phrase, ...]
    someone: str
    general: str
    contrary: str


def _phrases(text: str) -> tuple[Phrase, ...]:
    pairs = (entry.strip().split("|") for entry in text.split(";"))
    return tuple((plain, paraphrase) for plain, paraphrase in pairs)


def _topic(whos: str, acts: str, wheres: str, someone: str, general: str, contrary: str) -> Topic:
    return Topic(_phrases(whos), _phrases(acts), _phrases(wheres), someone, general, contrary)


CAPTIONS = (
    _topic(
        "a baker|a bread maker; an old cook|an elderly chef; a boy in an apron|a boy wearing an apron; "
        "a tall woman|a woman of great height; two apprentices|a pair of trainees",
        "kneading dough|working dough by hand; peeling carrots|taking the skin off carrots; "
        "stirring a pot of soup|giving a soup pot a stir; chopping onions|cutting onions into small bits; "
        "frying mushrooms|cooking mushrooms in a pan; whisking eggs|beating eggs with a whisk",
        "on a marble counter|at a counter made of marble; in a hotel kitchen|in the kitchen of a hotel; "
        "beside an open window|next to a window that is open; under a bright lamp|in the light of a bright lamp; "
        "in a small cottage|inside a little cottage",
        "someone",
        "making something to eat",
        "sleeping in a chair",
    ),
    _topic(
        "a conductor|a ticket inspector; a traveller with a red suitcase|a passenger who has a red suitcase; "
        "a soldier in uniform|a uniformed soldier; a girl with headphones|a girl wearing headphones; "
        "two tourists|a couple of sightseers",
        "boarding a train|getting on a train; waiting for the night express|expecting the night express; "
        "reading a timetable|studying a departure board; waving at a departing train|waving goodbye to a train; "
        "buying a railway ticket|paying for a train ticket; leaving a railway carriage|stepping out of a rail coach",
        "at a crowded station|in a station full of people; in the early morning|at dawn; "
        "during a heavy storm|while a storm rages; near the old signal box|close to the ancient signal box; "
        "on platform four|at the fourth platform",
        "a person",
        "at a railway stop",
        "swimming in a lake",
    ),
    _topic(
        "a brown dog|a dog with brown fur; a grey cat|a cat with a grey coat; a spotted puppy|a puppy with spots; "
        "a limping fox|a fox with a limp; two young goats|a pair of goat kids",
        "chasing a ball|running after a ball; drinking from a puddle|lapping water out of a puddle; "
        "jumping over a log|leaping across a log; digging a hole|scratching a pit in the ground; "
        "chewing on a stick|gnawing at a stick; rolling about in leaves|tumbling through leaves",
        "in a wide meadow|on a large grassy field; behind a wooden fence|at the back of a fence of wood; "
        "on a muddy path|along a track full of mud; in the village square|on the square of the village; "
        "under a chestnut tree|in the shade of a chestnut",
        "an animal",
        "active outdoors",
        "lying asleep in a basket",
    ),
    _topic(
        "a goalkeeper|the keeper of a team; a tired striker|an exhausted forward; "
        "a referee in yellow|an official dressed in yellow; a player with long hair|a long-haired player; "
        "two defenders|a pair of full backs",
        "kicking a football|striking a football with the foot; arguing about a penalty|having words over a penalty; "
        "celebrating a goal|cheering after scoring; running towards the net|sprinting to the goal; "
        "tying a boot|doing up a shoelace; heading the ball|hitting the ball with the head",
        "in an empty stadium|in a stadium without spectators; in pouring rain|while rain pours down; "
        "on a sandy pitch|on a playing field of sand; in front of a noisy crowd|before loud supporters; "
        "late in the match|close to the final whistle",
        "an athlete",
        "taking part in a sports game",
        "playing a piano in a concert hall",
    ),
    _topic(
        "a fisherman|an angler; a young sailor|a youthful seaman; a woman in a blue coat|a blue-coated woman; "
        "a harbour pilot|a pilot of the port; two dockers|a pair of dock workers",
        "mending a net|repairing a fishing net; painting a boat|putting paint on a boat; "
        "loading crates of fish|stacking boxes of fish aboard; pulling in an anchor|hauling up an anchor; "
        "coiling a long rope|winding up a long line; scrubbing the deck|cleaning the deck with a brush",
        "in a small harbour|at a little port; by the lighthouse|near the light tower; "
        "under a cloudy sky|while clouds cover the sky; at low tide|when the tide is out; "
        "on a windy quay|on a quay swept by wind",
        "a person",
        "working near the sea",
        "riding a camel through a desert",
    ),
    _topic(
        "a gardener|a person who tends gardens; a grandmother|an old lady; a child in boots|a kid wearing boots; "
        "a bearded neighbour|a neighbour with a beard; two volunteers|a pair of helpers",
        "watering tomatoes|giving water to tomato plants; pruning roses|cutting back rose bushes; "
        "planting tulip bulbs|putting tulip bulbs in the soil; raking the lawn|combing the grass with a rake; "
        "picking cherries|gathering cherries; pulling up weeds|tearing weeds out of the ground",
        "behind a brick house|at the rear of a house of brick; in a greenhouse|inside a glass house; "
        "on a warm evening|as a warm day ends; beside a stone wall|along a wall of stone; "
        "in a public park|in a park open to all",
        "someone",
        "gardening",
        "driving a lorry on a motorway",
    ),
    _topic(
        "a teacher|a schoolmaster; a pupil with glasses|a bespectacled pupil; a shy student|a timid student; "
        "a girl in a green jumper|a girl who wears a green sweater; two classmates|a pair of fellow pupils",
        "writing on the board|putting words on the blackboard; drawing a map|sketching a map; "
        "solving a sum|working out an arithmetic problem; reading a poem aloud|reciting a poem; "
        "folding paper birds|making birds out of paper; counting coloured beads|adding up beads of many colours",
        "in a quiet classroom|in a classroom where nobody speaks; before the lunch bell|just before lunch break; "
        "at a round table|around a circular table; in a village school|at a school in the country; "
        "near a large globe|next to a big globe",
        "someone",
        "busy at school",
        "skating on a frozen canal",
    ),
    _topic(
        "a carpenter|a woodworker; a mechanic in overalls|a mechanic wearing a boiler suit; "
        "a woman with goggles|a woman wearing eye protection; a retired engineer|a pensioned engineer; "
        "two welders|a pair of metal workers",
        "sawing a plank|cutting a board with a saw; hammering nails|driving nails into wood; "
        "repairing a bicycle|fixing a bike; sanding a table|smoothing a table with sandpaper; "
        "drilling a hole in metal|boring through a piece of metal; sharpening a chisel|putting an edge on a chisel",
        "in a dusty workshop|in a workshop full of dust; at a heavy bench|on a massive workbench; "
        "in an open garage|inside a garage with its door up; late at night|in the small hours; "
        "with old tools|using tools from long ago",
        "a person",
        "working with tools",
        "sunbathing on a beach",
    ),
    _topic(
        "a fruit seller|a trader in fruit; a woman with a basket|a woman carrying a basket; "
        "a customer in a hat|a shopper wearing a hat; a man with a pushchair|a man pushing a pram; "
        "two nuns|a pair of sisters in habits",
        "weighing apples|putting apples on the scales; choosing a melon|selecting a melon; "
        "haggling over cheese|bargaining about cheese; tasting olives|trying a few olives; "
        "paying for flowers|handing over money for flowers; wrapping bread in paper|packing a loaf in paper",
        "at a street market|in an open-air market; on a busy corner|at a street corner full of people; "
        "beneath a striped awning|under a canopy with stripes; on a Saturday morning|early on Saturday; "
        "in front of the church|before the church door",
        "somebody",
        "at a market stall",
        "climbing an icy mountain",
    ),
    _topic(
        "a skier in orange|an orange-clad skier; a climber with a beard|a bearded mountaineer; "
        "a mountain guide|a guide for mountaineers; a boy on a sledge|a boy sitting on a sled; "
        "two hikers|a walking couple",
        "sliding down a slope|gliding down a hillside; crossing a frozen stream|walking over an icy brook; "
        "building a snowman|making a man of snow; shovelling snow|clearing away snow with a shovel; "
        "looking at a glacier|gazing at a river of ice; throwing snowballs|tossing balls of snow",
        "above the tree line|higher than any trees grow; near a wooden hut|close to a cabin of wood; "
        "on a sunny afternoon|after noon in bright sun; in thick fog|while dense fog hangs about; "
        "at the foot of a cliff|below a steep rock face",
        "a person",
        "out in the snow",
        "typing at a desk in an office",
    ),
    _topic(
        "a violinist|a fiddle player; a singer in black|a vocalist dressed in black; "
        "a drummer with tattoos|a tattooed percussionist; a young pianist|a youthful piano player; "
        "two trumpeters|a pair of trumpet players",
        "tuning an instrument|bringing an instrument into tune; playing a slow waltz|performing an unhurried waltz; "
        "bowing to the audience|taking a bow before listeners; turning a page of music|flipping a sheet of the score; "
        "practising scales|rehearsing scales; humming a folk song|singing a folk tune softly",
        "on a small stage|on a little platform; in a concert hall|in a hall for concerts; "
        "in a railway tunnel|inside a tunnel for trains; before the first act|ahead of the opening act; "
        "under a single spotlight|lit by one spotlight",
        "a musician",
        "making music or about to",
        "feeding pigs on a farm",
    ),
    _topic(
        "a clerk|an office worker; the mayor|the head of the town; a woman in a wheelchair|a wheelchair user; "
        "a security guard|a watchman; two citizens|a couple of townspeople",
        "stamping a form|putting a stamp on a form; queueing for a passport|standing in line for a passport; "
        "signing a contract|putting a signature on a contract; sorting letters|putting letters in order; "
        "answering the telephone|picking up the phone; copying a certificate|making a copy of a certificate",
        "in the town hall|at the city hall; behind a glass window|on the far side of a pane; "
        "at a cluttered desk|at a desk covered in papers; on the third floor|three storeys up; "
        "shortly before closing time|when the office is about to shut",
        "a person",
        "in a public office",
        "surfing on high waves",
    ),
)

NEWS = (
    _topic(
        "the city council|the council of the city; the mayor of Harwick|Harwick's mayor; "
        "the transport ministry|the ministry of transport; the opposition party|the party in opposition",
        "approve a new tram line|give the green light to a new tram line; close the old bridge|shut the old bridge; "
        "raise bus fares|increase the price of bus tickets; ban cars from the centre|keep cars out of the centre; "
        "repair two hundred streets|fix two hundred roads",
        "after a long debate|following hours of discussion; despite protests|in spite of demonstrations; "
        "before the autumn election|ahead of the election in autumn; for the third time|a third time",
        "officials",
        "change local traffic",
        "leave the streets and buses exactly as they are",
    ),
    _topic(
        "the weather service|the meteorological office; the mountain rescue|the rescue team of the mountains; "
        "the coast guard|the guard of the coast; the island government|the government of the island",
        "warn of a severe storm|issue an alert for a strong storm; evacuate three villages|move people out of three villages; "
        "expect record snow|forecast more snow than ever; report flooded fields|announce that fields are under water; "
        "search for missing sailors|look for sailors who have vanished",
        "on the northern coast|along the coast in the north; over the weekend|on Saturday and Sunday; "
        "as rivers rise|while water levels climb; until further notice|for an indefinite time",
        "authorities",
        "deal with bad weather",
        "promise nothing but sunshine",
    ),
    _topic(
        "the steel maker Orvan|Orvan, a producer of steel; the airline Nordal|Nordal, an air carrier; "
        "the bank of Pellin|Pellin's bank; the software firm Quanto|Quanto, a maker of software",
        "cut a thousand jobs|shed a thousand posts; buy a smaller rival|take over a minor competitor; "
        "report a record profit|announce its highest earnings; open a plant abroad|start a factory overseas; "
        "sell its oldest division|dispose of the oldest part of the firm",
        "in the spring quarter|during the quarter of spring; after months of talks|following lengthy negotiations; "
        "to reassure investors|to calm shareholders; because of rising costs|owing to higher expenses",
        "a company",
        "make business news",
        "do nothing at all this year",
    ),
    _topic(
        "the national team|the country's squad; the cyclist Ilka Tern|Ilka Tern, the bicycle racer; "
        "the club from Dorvale|Dorvale's club; the veteran coach|the experienced trainer",
        "win the final|triumph in the last match; miss the opening race|be absent from the first race; "
        "sign a contract for two years|agree to a two-year deal; protest against a referee|complain about an umpire; "
        "set a national record|achieve the best result in the land",
        "after extra time|once extra time is over; in front of home fans|before its own supporters; "
        "with an injured knee|in spite of a hurt knee; for the first time since spring|as never since spring",
        "athletes",
        "make sports headlines",
        "give up sport for good",
    ),
    _topic(
        "the court in Mellau|Mellau's court; the police of Senn|Senn's police force; "
        "the state prosecutor|the prosecutor of the state; a parliamentary inquiry|an inquiry by parliament",
        "jail a former banker|send an ex-banker to prison; free two journalists|release a pair of reporters; "
        "investigate a museum theft|look into a robbery at a museum; reject an appeal|turn down an appeal; "
        "question four witnesses|interview four people who saw it",
        "in a fraud case|in a case of fraud; after new evidence|once fresh proof is found; "
        "behind closed doors|without any public present; late on Monday|on Monday night",
        "the law",
        "handle a legal matter",
        "bake bread for the poor",
    ),
)

ADVICE = (
    _topic(
        "a beginner|someone new to it; a student|somebody at college; a busy parent|a parent with little time; "
        "a person living alone|someone who lives on their own",
        "clean a cast-iron pan|scrub a pan of cast iron; bake rye bread|make bread from rye; "
        "keep herbs fresh|stop herbs from wilting; cook rice for ten|prepare rice for ten guests; "
        "freeze leftover soup|put spare soup in the freezer",
        "without soap|using no soap; in a small flat|in a tiny apartment; on a low budget|with little money; "
        "in under an hour|in less than sixty minutes",
        "anyone",
        "manage in the kitchen",
        "never enter a kitchen",
    ),
    _topic(
        "a new owner|someone who has just bought one; a teenager|a young person; "
        "an impatient cyclist|a cyclist in a hurry; a commuter|someone who travels to work",
        "patch a flat tyre|mend a puncture; oil a bicycle chain|grease the chain of a bike; "
        "adjust squeaking brakes|set brakes that squeal; carry a child seat|transport a seat for a child; "
        "store a bicycle in winter|keep a bike during the cold months",
        "at the roadside|beside the road; with household tools|using tools found at home; "
        "without getting dirty|while keeping clean hands; for the first time|never having done it before",
        "anyone",
        "look after a bicycle",
        "always take the bus instead",
    ),
    _topic(
        "a nervous applicant|an anxious candidate; a recent graduate|someone fresh from university; "
        "a career changer|a person who switches profession; an older worker|an employee of advanced age",
        "ask for a higher salary|request more pay; explain a gap in the resume|account for a gap in the CV; "
        "prepare for an interview|get ready for a job talk; refuse an offer|turn down a job; "
        "write a covering letter|compose a letter of application",
        "politely|in a polite way; by e-mail|in an electronic letter; in a foreign language|in a tongue not their own; "
        "at short notice|with hardly any warning",
        "anyone",
        "handle a job application",
        "stay in bed all week",
    ),
    _topic(
        "a hobby gardener|an amateur gardener; a tenant with a balcony|somebody renting a place with a balcony; "
        "a forgetful person|someone with a poor memory; an allotment holder|a person with an allotment",
        "save a dying fern|rescue a fern that is withering; get rid of slugs|drive slugs away; "
        "grow lemons from seed|raise lemon trees from pips; repot a large cactus|move a big cactus to a new pot; "
        "water seedlings|give water to young plants",
        "without chemicals|using no poison; during a holiday|while away on vacation; "
        "in deep shade|where no sun falls; before the first frost|ahead of freezing nights",
        "anyone",
        "care for plants",
        "pave the garden with concrete",
    ),
    _topic(
        "a circuit builder|someone who builds a circuit; the whole class|every pupil in class; "
        "a curious child|a child who wonders; a science student|a student of science",
        "light the small bulb|make the little bulb shine; measure the voltage|find out the voltage; "
        "separate salt from sand|divide sand and salt; make the magnet stronger|increase the pull of the magnet; "
        "weigh the air in a balloon|find the weight of a balloon's air",
        "with one battery|using a single cell; in three steps|by three stages; "
        "without touching the wires|while keeping hands off the wires; by closing the gap|once the gap is closed",
        "anyone",
        "do a physics experiment",
        "paint a portrait",
    ),
)
