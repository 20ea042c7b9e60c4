import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// Two builds: the scripts of the pages, and with `--ssr src/server.jsx` the server.
export default defineConfig(({ isSsrBuild }) => ({
  base: '/stream/',
  plugins: [react()],
  build: isSsrBuild
    ? { outDir: 'dist/server' }
    : { outDir: 'dist/client', manifest: true, rollupOptions: { input: 'src/client.jsx' } },
  ssr: { noExternal: true },
}));
