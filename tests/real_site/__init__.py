"""A real site for the crawler: real pages, a real web server, the server's own log as the witness.

problem     what stops a script before it can measure anything, and the bars it measures against
programs    programs of the system, installed where missing
corpora     the pages and the truth about them
server      nginx on loopback, index pages that link to every page
access_log  what the server saw: fetched exactly once, fetched again after a kill
setting     the command line that the scripts share, their temporary folder
crawler     the program under test, timed
verdicts    the crawler's report as the stream that the scorer reads
"""
