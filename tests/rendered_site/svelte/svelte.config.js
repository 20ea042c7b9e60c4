import adapter from '@sveltejs/adapter-static';

export default {
  kit: {
    // The guide is rendered by the build. Every other page gets the shell.
    adapter: adapter({ fallback: '200.html' }),
    paths: { base: '/svelte', relative: false },
    alias: { $content: '../content/svelte' },
  },
};
