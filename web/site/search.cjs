/* search.js — finds sections by words. The site has it before site.js, and the tests run it with Node.
 *
 * Every word of the question must be in the section, its title or the title of its page, at the beginning of a word
 * there. A title counts more than a text, a whole word more than a part of one, and pages that explain more than lists of
 * calls and schemas. */
function pawlSearch(index, question) {
  const wanted = question.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  const split = (text) => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  const WEIGHTS = { page: 6, title: 10, text: 1 };

  const pointsIn = (words, word, weight) => {
    let points = 0;
    for (const each of words) {
      if (each === word) points += weight * 2;
      else if (each.startsWith(word)) points += weight;
      if (points >= weight * 8) break;
    }
    return points;
  };

  const pointsOf = (section) => {
    let points = 0;
    for (const word of wanted) {
      const own =
        pointsIn(split(section.pageTitle), word, WEIGHTS.page) +
        pointsIn(split(section.title), word, WEIGHTS.title) +
        pointsIn(split(section.text), word, WEIGHTS.text);
      if (own === 0) return 0;
      points += own;
    }
    return points * (section.page.startsWith('api') ? 0.3 : 1);
  };

  return index
    .map((section) => ({ section, points: pointsOf(section) }))
    .filter(({ points }) => points > 0)
    .sort((a, b) => b.points - a.points)
    .map(({ section }) => section);
}
if (typeof module !== 'undefined') module.exports = { pawlSearch };
