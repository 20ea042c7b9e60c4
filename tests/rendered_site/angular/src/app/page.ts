import { HttpClient } from '@angular/common/http';
import { inject } from '@angular/core';
import { Title } from '@angular/platform-browser';
import { ResolveFn } from '@angular/router';
import { tap } from 'rxjs';

export interface Link { to: string; label: string }

export interface Page { title: string; paragraphs: string[]; links: Link[]; clicked: Link[] }

/** Fetches the data of a route, and sets the title. */
export const loadPage: ResolveFn<Page> = (_route, state) => {
  const title = inject(Title);
  const path = state.url === '/' ? '/index' : state.url;
  return inject(HttpClient).get<Page>(`data${path}.json`).pipe(tap(page => title.setTitle(page.title)));
};

/** The path of a link within the area. */
export const local = (to: string): string => to.replace(/^\/angular/, '');
