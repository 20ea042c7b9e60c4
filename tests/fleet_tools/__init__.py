"""A fleet of workers, the sites that it crawls and the Redis servers that join it, all on loopback.

server         a web server for every address of 127.0.0.0/8, which logs each request from its start to its end
pages          the corpora under many hosts, with the links between them
redis_servers  redis-server alone or as a cluster: started, killed, stopped
workers        the processes of the crawl, each with its own data folder and its own name in the log
faults         kills and stops at random moments
requests       what the log proves: each page asked once, one worker at a time, the delay
outcome        what a crawl decided and kept
cost           what a page costs in Redis and in the workers
"""
