import { Component, inject } from '@angular/core';
import { toSignal } from '@angular/core/rxjs-interop';
import { ActivatedRoute, RouterLink } from '@angular/router';
import { Page, local } from './page';

@Component({
  selector: 'app-product',
  imports: [RouterLink],
  template: `
    @if (data(); as found) {
      @let page = asPage(found['page']);
      <main>
        <article>
          <h1>{{ page.title }}</h1>
          @for (text of page.paragraphs; track text) { <p>{{ text }}</p> }
        </article>
        <nav aria-label="Related">
          <ul>
            @for (link of page.links; track link.to) { <li><a [routerLink]="local(link.to)">{{ link.label }}</a></li> }
          </ul>
        </nav>
      </main>
    }
  `,
})
export class Product {
  readonly data = toSignal(inject(ActivatedRoute).data);
  readonly local = local;

  asPage(page: unknown): Page {
    return page as Page;
  }
}
