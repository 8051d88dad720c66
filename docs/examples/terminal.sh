#!/bin/sh
# From a table of texts to a table of results, in a terminal, without a key: sh docs/examples/terminal.sh
#
# Everything goes into the folder `example` below the one you are in; your own projects stay as they are. `rules` are
# fixed text rules, not an LLM: name a model of yours in their place, such as openai:gpt-4o.
set -eu
mkdir -p example
cd example
INTERACTEVAL_HOME=$PWD/home
export INTERACTEVAL_HOME

# 1. A table: a row per text, what it was written from, who wrote it, and two ratings of its order.
cat > letters.csv <<'TABLE'
source,doc,writer,text,rater1,rater2
Tell how the garden began.,garden,ada,First the yard was cleared. Then three families dug the beds. In June they ate the first peas.,5,5
Tell how the garden began.,garden,ben,They ate peas in June. The yard was cleared. Three families dug.,3,2
Tell how the garden began.,garden,cleo,Peas peas. The yard. It was nice and it was nice.,1,1
Tell how the clock was mended.,clock,ada,The clock stopped in March. A watchmaker found a broken spring. Since then it strikes again.,5,4
Tell how the clock was mended.,clock,ben,It strikes again. A spring was broken. The clock stopped.,2,3
Tell how the clock was mended.,clock,cleo,Clock. the clock the clock was a clock.,1,2
Tell how the bridge was saved.,bridge,ada,The flood took two piers. Volunteers held the rest with ropes. After a week masons rebuilt them.,4,5
Tell how the bridge was saved.,bridge,ben,Masons rebuilt the piers. There was a flood. Ropes were used before that.,3,3
Tell how the bridge was saved.,bridge,cleo,ropes and a bridge and a bridge and ropes,1,1
TABLE
interacteval import letters.csv --project Letters --map text=text --map source=source --map doc_id=doc \
  --map system_id=writer --rating Order=rater1 --rating Order=rater2

# 2. Ideas: what somebody looks for, and what a model adds.
printf '%s\n' "Each sentence follows from the one before it." "Nothing is told twice." > ideas.txt
interacteval attributes add ideas.txt --project Letters --dimension Order --contributor Ada --kind human
interacteval think-aloud --project Letters --dimension Order --model rules

# 3. A checklist of both, published, and on paper.
interacteval build --project Letters --dimension Order --condition comb --model rules --publish
interacteval checklist export --project Letters --dimension Order --format html --output checklist.html

# 4. Scores, and how far they can be trusted. The last command prints JSON for other programs.
interacteval score --project Letters --dimension Order --evaluator checklist --judge rules
interacteval results --project Letters --output scores.csv
interacteval results --project Letters --json > results.json
