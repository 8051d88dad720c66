#!/bin/sh
# From a table of texts to a table of results, in a terminal, without a key: sh docs/examples/terminal.sh
#
# Everything goes into the folder `example` below the one you are in; your own projects stay as they are. `rules` are
# fixed text rules, not an LLM: name a model of yours in their place, such as openai:gpt-6-luna.
set -eu
mkdir -p example
cd example
INTERACTEVAL_HOME=$PWD/home
export INTERACTEVAL_HOME

# 1. A table: a row per text, what it was written from, who wrote it, and two ratings of its order.
cat > letters.csv <<'TABLE'
source,doc,writer,text,rater1,rater2
Tell how the garden began.,garden,ada,First the yard was cleared. Then three families dug the beds. In June they ate the first peas.,5,5
Tell how the garden began.,garden,ben,First the yard was cleared. Then three families dug the beds. So in June they ate the first peas.,4,5
Tell how the garden began.,garden,cleo,First the yard was cleared. In June they ate the first peas.,3,3
Tell how the garden began.,garden,dora,Then three families dug the beds. In June they ate the first peas. First the yard was cleared.,3,2
Tell how the garden began.,garden,emil,In June they ate the first peas. First the yard was cleared. It was nice.,3,2
Tell how the garden began.,garden,finn,Peas and peas. In June they ate the first peas. Peas.,2,1
Tell how the garden began.,garden,gwen,Peas peas. The. It was nice and it was nice.,1,1
Tell how the clock was mended.,clock,ada,First the clock stopped in March. Then a watchmaker found a broken spring. Since May it strikes again.,5,5
Tell how the clock was mended.,clock,ben,First the clock stopped in March. Then a watchmaker found a broken spring. So since May it strikes again.,4,5
Tell how the clock was mended.,clock,cleo,First the clock stopped in March. Since May it strikes again.,3,3
Tell how the clock was mended.,clock,dora,Then a watchmaker found a broken spring. Since May it strikes again. First the clock stopped in March.,4,3
Tell how the clock was mended.,clock,emil,Since May it strikes again. First the clock stopped in March. It was nice.,2,2
Tell how the clock was mended.,clock,finn,Clock and clock. Since May it strikes again. Clock.,2,1
Tell how the clock was mended.,clock,gwen,Clock clock. The. It was nice and it was nice.,1,1
Tell how the bridge was saved.,bridge,ada,First the flood took two piers. Then volunteers held the rest with ropes. After a week masons rebuilt them.,5,5
Tell how the bridge was saved.,bridge,ben,First the flood took two piers. Then volunteers held the rest with ropes. So after a week masons rebuilt them.,4,5
Tell how the bridge was saved.,bridge,cleo,First the flood took two piers. After a week masons rebuilt them.,4,3
Tell how the bridge was saved.,bridge,dora,Then volunteers held the rest with ropes. After a week masons rebuilt them. First the flood took two piers.,3,2
Tell how the bridge was saved.,bridge,emil,After a week masons rebuilt them. First the flood took two piers. It was nice.,2,2
Tell how the bridge was saved.,bridge,finn,Ropes and ropes. After a week masons rebuilt them. Ropes.,2,1
Tell how the bridge was saved.,bridge,gwen,Ropes ropes. The. It was nice and it was nice.,1,1
Tell how the school was built.,school,ada,First the village bought a field. Then parents carried the stones. In autumn the first class began.,5,5
Tell how the school was built.,school,ben,First the village bought a field. Then parents carried the stones. So in autumn the first class began.,5,4
Tell how the school was built.,school,cleo,First the village bought a field. In autumn the first class began.,3,3
Tell how the school was built.,school,dora,Then parents carried the stones. In autumn the first class began. First the village bought a field.,3,2
Tell how the school was built.,school,emil,In autumn the first class began. First the village bought a field. It was nice.,2,2
Tell how the school was built.,school,finn,Stones and stones. In autumn the first class began. Stones.,2,1
Tell how the school was built.,school,gwen,Stones stones. The. It was nice and it was nice.,1,1
TABLE
interacteval import letters.csv --project Letters --map text=text --map source=source --map doc_id=doc \
  --map system_id=writer --rating Order=rater1 --rating Order=rater2

# 2. Attributes: what somebody looks for, and what a model adds.
printf '%s\n' "Each sentence follows from the one before it." "Nothing is told twice." > ideas.txt
interacteval attributes add ideas.txt --project Letters --dimension Order --contributor Ada --kind human
interacteval think-aloud --project Letters --dimension Order --model rules

# 3. A checklist of both, published, and on paper.
interacteval build --project Letters --dimension Order --condition comb --model rules --publish
interacteval checklist export --project Letters --dimension Order --format html --output checklist.html

# 4. Scores, and how far they can be trusted. The table is for people, JSON for programs.
interacteval score --project Letters --dimension Order --evaluator checklist --judge rules
interacteval results --project Letters --output scores.csv
interacteval results --project Letters --json > results.json
interacteval results --project Letters
