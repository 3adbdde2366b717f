// The first stage: a picture with one box, and five questions about what is in it.
{
  const { questions, tasks } = about;
  let question = 0;

  const firstUnanswered = () => questions.findIndex(({ name }) => !(name in ofItem()));

  function answer(name, word) {
    change(answers => { answers[name] = word; });
    const open = firstUnanswered();
    if (open < 0 && here + 1 < tasks.length) go(here + 1);
    else { question = Math.max(open, 0); show(); tally(); }
  }

  function show() {
    const answers = ofItem();
    at("side").replaceChildren(...questions.map(({ name, words }, number) => {
      const asked = words.replace("{class}", item().class);
      const choice = make("div", { className: "choice", role: "group", ariaLabel: asked });
      for (const word of ["yes", "no"]) {
        const button = make("button", { type: "button", ariaPressed: String(answers[name] === word) }, word, " ", make("kbd", {}, word[0]));
        Object.assign(button.dataset, { question: name, word });
        button.addEventListener("click", () => answer(name, word));
        choice.append(button);
      }
      const block = make("div", { className: "question" }, make("p", {}, make("kbd", {}, number + 1), ` ${asked}`), choice);
      Object.assign(block.dataset, { name, now: number === question });
      return block;
    }));
  }

  function paint() {
    const { box } = item();
    at("boxes").replaceChildren(rect(box, { class: "under" }), rect(box, { class: "line" }));
  }

  function press({ key, ctrlKey, metaKey, altKey }) {
    if (ctrlKey || metaKey || altKey) return false;
    if (key === "y" || key === "n") answer(questions[question].name, key === "y" ? "yes" : "no");
    else if (key === "ArrowLeft" || key === "ArrowRight") go(here + (key === "ArrowLeft" ? -1 : 1));
    else if (questions[key - 1]) { question = key - 1; show(); }
    else return false;
    return true;
  }

  start({
    title: "Stage 1:", things: "boxes", items: tasks, paint, press,
    keys: [["y", "yes"], ["n", "no"], ["1 to 5", "question"], ["← →", "box"]],
    blank: () => ({}),
    isDone: answers => questions.every(({ name }) => name in answers),
    enter: () => { question = Math.max(firstUnanswered(), 0); show(); },
    content: () => ({ format: 1, sheet: digest, annotator, answers: work }),
  });
}
