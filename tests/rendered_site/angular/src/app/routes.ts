import { Routes } from '@angular/router';
import { loadPage } from './page';

export const routes: Routes = [
  { path: '', pathMatch: 'full', resolve: { page: loadPage }, loadComponent: () => import('./category').then(found => found.Category) },
  { path: 'categories/:name', resolve: { page: loadPage }, loadComponent: () => import('./category').then(found => found.Category) },
  { path: 'products/:number', resolve: { page: loadPage }, loadComponent: () => import('./product').then(found => found.Product) },
  { path: '**', loadComponent: () => import('./missing').then(found => found.Missing) },
];
