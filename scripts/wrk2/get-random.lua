-- SPDX-License-Identifier: Apache-2.0
-- GET of keyNumber<n>, n drawn evenly from the records that put-sequential.lua wrote: every request hits.
-- Arguments: RECORDS [SEED [QUERY [FORMAT]]], QUERY being more parameters, as "&ack=1&from=1", FORMAT what an id looks like
-- (keyNumber%d). Each thread draws from a stream of its own; a seed repeats a run, without one each differs.
--
--   wrk -t1 -c1 -d30s -R3000 -L -s get-random.lua http://localhost:8080 -- 900000

local threads = 0

function setup(thread)
  thread:set("thread_index", threads)
  threads = threads + 1
end

function init(args)
  records = assert(tonumber(args[1]), "get-random.lua: say how many records there are: URL -- RECORDS")
  query = args[3] or ""
  format = args[4] or "keyNumber%d"
  math.randomseed((tonumber(args[2]) or os.time()) * 1000 + thread_index)
end

function request()
  return wrk.format("GET", "/v0/entity?id=" .. string.format(format, math.random(0, records - 1)) .. query)
end
