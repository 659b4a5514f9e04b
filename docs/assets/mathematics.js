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
});
