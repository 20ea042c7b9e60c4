import load from '$lib/load.js';

export { load };
