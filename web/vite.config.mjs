// One script and one style, which scripts/build_page.py puts into the HTML.
export default {
  base: './',
  build: {
    target: 'es2022',
    assetsInlineLimit: 100000000,
    cssCodeSplit: false,
    modulePreload: false,
    rollupOptions: { output: { inlineDynamicImports: true } },
  },
};
