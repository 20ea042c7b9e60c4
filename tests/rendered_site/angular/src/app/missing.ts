import { Component } from '@angular/core';

@Component({ selector: 'app-missing', template: '<main><h1>Page not found</h1></main>' })
export class Missing {}
