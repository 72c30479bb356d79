-- SPDX-License-Identifier: Apache-2.0
-- GET of report 002's ids, k0000000000 and up, drawn evenly from those that are there: every request hits. They are written by
--   put-sequential.lua ... -- 0 1 "" 11 k%010d
-- Arguments: RECORDS [SEED]. Each thread draws from a stream of its own; a seed repeats a run, without one each differs.
--
--   wrk -t1 -c1 -d60s -R100 -L -s get-existing.lua http://localhost:8080 -- 1000000

local threads = 0

function setup(thread)
  thread:set("thread_index", threads)
  threads = threads + 1
end

function init(args)
  records = assert(tonumber(args[1]), "get-existing.lua: say how many records there are: URL -- RECORDS")
  math.randomseed((tonumber(args[2]) or os.time()) * 1000 + thread_index)
end

function request()
  return wrk.format("GET", string.format("/v0/entity?id=k%010d", math.random(0, records - 1)))
end
