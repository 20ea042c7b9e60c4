import { createApp } from 'vue';
import { createRouter, createWebHistory } from 'vue-router';
import App from './App.vue';

const routes = [
  { path: '/', component: () => import('./views/Story.vue') },
  { path: '/page/:number', component: () => import('./views/Story.vue') },
  { path: '/stories/:name', component: () => import('./views/Story.vue') },
  { path: '/m/stories/:name', component: () => import('./views/Small.vue') },
  { path: '/:rest(.*)*', component: () => import('./views/Missing.vue') },
];
const router = createRouter({ history: createWebHistory('/vue/'), routes });

createApp(App).use(router).mount('#app');
