-- SPDX-License-Identifier: Apache-2.0
-- GET of ids that are not there, beside report 002's k0000000000 and up: every request is answered 404. "outside" asks for k-1 as the
-- report did, before the first key of every table; "inside" for a random id with an x at its end, between two keys of one table.
-- Arguments: RECORDS inside|outside [SEED]. Each thread draws from a stream of its own; a seed repeats a run, without one each differs.
--
--   wrk -t1 -c1 -d60s -R10000 -L -s get-missing.lua http://localhost:8080 -- 1000000 outside

local threads = 0

function setup(thread)
  thread:set("thread_index", threads)
  threads = threads + 1
end

function init(args)
  records = assert(tonumber(args[1]), "get-missing.lua: say how many records there are: URL -- RECORDS inside|outside")
  where = args[2]
  assert(where == "inside" or where == "outside", "get-missing.lua: say where the missing ids are: URL -- RECORDS inside|outside")
  math.randomseed((tonumber(args[3]) or os.time()) * 1000 + thread_index)
end

function request()
  if where == "outside" then
    return wrk.format("GET", "/v0/entity?id=k-1")
  end
  return wrk.format("GET", string.format("/v0/entity?id=k%010dx", math.random(0, records - 1)))
end
