import { Component } from '@angular/core';
import { RouterLink, RouterOutlet } from '@angular/router';

@Component({
  selector: 'app-root',
  imports: [RouterLink, RouterOutlet],
  template: `
    <header><nav><a routerLink="/">Angular area</a> <a routerLink="/categories/lamps">Lamps</a></nav></header>
    <router-outlet />
    <footer><small>All rights reserved</small></footer>
  `,
})
export class Root {}
