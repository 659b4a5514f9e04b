// Formulas arrive as \(...\) and \[...\] in elements of their own; KaTeX lies beside this file.
document.addEventListener("DOMContentLoaded", () => {
  for (const formula of document.querySelectorAll(".arithmatex")) {
    renderMathInElement(formula, {
      delimiters: [
        { left: "\\(", right: "\\)", display: false },
        { left: "\\[", right: "\\]", display: true },
      ],
      throwOnError: true,
    });
  }
  // What is too wide scrolls: by keyboard, too.
  for (const wide of document.querySelectorAll(".arithmatex, .md-content p:has(> img), .md-typeset__scrollwrap")) {
    if (wide.scrollWidth > wide.clientWidth && wide.clientWidth > 0) wide.tabIndex = 0;
  }
});
