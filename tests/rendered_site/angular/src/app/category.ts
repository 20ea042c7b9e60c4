import { Component, inject } from '@angular/core';
import { ActivatedRoute, Router, RouterLink } from '@angular/router';
import { toSignal } from '@angular/core/rxjs-interop';
import { Page, local } from './page';

@Component({
  selector: 'app-category',
  imports: [RouterLink],
  template: `
    @if (data(); as found) {
      @let page = asPage(found['page']);
      <main>
        <article>
          <h1>{{ page.title }}</h1>
          @for (text of page.paragraphs; track text) { <p>{{ text }}</p> }
        </article>
        <ul>
          @for (link of page.links; track link.to) { <li><a [routerLink]="local(link.to)">{{ link.label }}</a></li> }
        </ul>
        @if (isAll) {
          <ul>@for (link of page.clicked; track link.to) { <li (click)="open(link.to)">{{ link.label }}</li> }</ul>
        } @else if (page.clicked.length) {
          <button (click)="isAll = true">Show all</button>
        }
      </main>
    }
  `,
})
export class Category {
  private readonly router = inject(Router);
  readonly data = toSignal(inject(ActivatedRoute).data);
  readonly local = local;
  isAll = false;

  asPage(page: unknown): Page {
    return page as Page;
  }

  /** The rest of a category is behind buttons that are no links. */
  open(to: string): void {
    void this.router.navigateByUrl(local(to));
  }
}
