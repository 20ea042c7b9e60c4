import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createBrowserRouter, RouterProvider } from 'react-router';
import Layout from './Layout.jsx';
import { keepInTouch } from './touch.js';
import './style.css';

const page = load => async () => ({ Component: (await load()).default });
const router = createBrowserRouter([
  {
    element: <Layout />,
    children: [
      { index: true, lazy: page(() => import('./pages/Article.jsx')) },
      { path: 'topics/:name', lazy: page(() => import('./pages/Article.jsx')) },
      { path: 'articles/:slug', lazy: page(() => import('./pages/Article.jsx')) },
      { path: 'a/:id', lazy: page(() => import('./pages/Article.jsx')) },
      { path: 'old/:id', lazy: page(() => import('./pages/Article.jsx')) },
      { path: 'notes/:id', lazy: page(() => import('./pages/Article.jsx')) },
      { path: 'drafts/:id', lazy: page(() => import('./pages/Article.jsx')) },
      { path: 'account', lazy: page(() => import('./pages/Account.jsx')) },
      { path: 'archive', lazy: page(() => import('./pages/Archive.jsx')) },
      { path: 'jobs', lazy: page(() => import('./pages/Jobs.jsx')) },
      { path: 'jobs/:id', lazy: page(() => import('./pages/Article.jsx')) },
      { path: 'calendar/:month', lazy: page(() => import('./pages/Calendar.jsx')) },
      { path: '*', lazy: page(() => import('./pages/Missing.jsx')) },
    ],
  },
  // The print view has no frame.
  { path: 'articles/:slug/print', lazy: page(() => import('./pages/Article.jsx')) },
], { basename: '/react' });

createRoot(document.getElementById('root')).render(<StrictMode><RouterProvider router={router} /></StrictMode>);
keepInTouch();
