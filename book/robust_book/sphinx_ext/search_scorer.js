// The search's order: a page whose title has the words asked for, other pages, then the API's functions.
var Scorer = {
  score: ([name, title, anchor, , score]) => {
    const words = new URLSearchParams(location.search).get("q") ?? "";
    const escaped = words.trim().replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    const whole = new RegExp(`(?<![\\w-])${escaped}(?![\\w-])`, "i");
    const named = escaped && !anchor && whole.test(title.replace(/<[^>]*>/g, ""));
    return score + (named ? 30 : 0) - (name.startsWith("api") ? 20 : 0);
  },
  // The rest as Sphinx has it.
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
