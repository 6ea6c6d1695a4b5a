/* theme.js — sets the chosen theme before the first paint. A file of its own, because the policy allows no inline script. */
(function () {
  var theme = localStorage.getItem('pawl.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
})();
