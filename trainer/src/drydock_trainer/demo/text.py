"""Plain text that the demo tokenizer is trained on: enough for the common words of questions and answers."""

TEXT = """\
What is the name of the ship that came into the harbour this morning? The ship is called the Northern
Light.
Who is the captain of the ship? The captain is a woman from the islands who has been at sea for thirty
years.
Where does the river meet the sea? The river meets the sea a few miles south of the old town, near the
lighthouse.
When does the market open? The market opens at seven in the morning on every day of the week except
Sunday.
Which of these tools is used to cut wood? The saw is used to cut wood, and the hammer is used to drive
nails.
How many people work in the yard? There are about two hundred people who work in the yard during the
summer.
Why did the engine stop? The engine stopped because there was water in the fuel, so the crew had to clean
the tank.
Can you tell me how to get to the station? Go straight along this street, then turn left at the second
corner.
A dry dock is a basin that can be flooded so that a ship can float in, and then drained so that it rests
on blocks.
Once the water is gone, workers can repair the hull, clean the bottom, and paint everything below the
water line.
The first thing to do is to read the plan. The second thing is to check that all parts are there and in
good order.
Please answer the question in a few words. If you do not know the answer, say that you do not know it.
The capital of the country lies on a wide plain between two rivers, and its oldest building is a stone
bridge.
The colour of the flag is blue and white, with a small red star in the upper corner next to the pole.
Every system has users, and every user has a question. An agent reads the question, calls a tool, and
writes an answer.
The model was trained on a small set of examples, and it was tested on questions that it had not seen
before.
The number of steps, the size of a batch and the learning rate decide how fast the loss goes down.
It was raining when they left the house, but by the time they reached the top of the hill the sky was
clear.
She opened the box and found a letter, a key, and a small map on which somebody had drawn a line in green
ink.
He said that he would come back on Monday or Tuesday, or at the latest on Friday before the sun went
down.
January, February, March, April, May, June, July, August, September, October, November and December are
the months.
Monday, Tuesday, Wednesday, Thursday, Friday, Saturday and Sunday are the days of the week.
One, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve, thirteen, fourteen, fifteen,
twenty.
Red, orange, yellow, green, blue, violet, black, white, grey, brown and silver are the names of colours.
Bread, butter, cheese, soup, apples, plums, fish and rice are served with water, tea, coffee or milk.
Iron, copper, bronze, silver, gold, steel and lead are metals. Oak, pine, birch and ash are kinds of
wood.
The bird built its nest on the highest crane, and nobody in the yard was allowed to move that crane until
autumn.
The song has three low notes and one high note, and it is played on a horn at noon to tell everyone to
rest.
An old story says that the first builder of boats in this place was a girl who could not swim and did not
want to.
You are a helpful assistant. Answer in one short sentence. Use the tools that you were given when you
need them.
The report shows what was done, what it cost, how long it took, and which of the tests passed or failed.
user assistant system tool name arguments content role message question answer function result value
string number
"""
