-- SPDX-License-Identifier: Apache-2.0
-- GET of a range of LENGTH of report 002's ids, k0000000000 and up; its first id is drawn evenly, so that the whole range lies among RECORDS ids.
-- Arguments: RECORDS LENGTH [SEED]. Each thread draws from a stream of its own; a seed repeats a run, without one each differs.
--
--   wrk -t1 -c4 -d10s -R500 -L -s scan.lua http://localhost:8080 -- 40000 100

local USAGE = "scan.lua: say how many records there are, and how many of them a scan reads: URL -- RECORDS LENGTH"
local threads = 0

function setup(thread)
  thread:set("thread_index", threads)
  threads = threads + 1
end

function init(args)
  records, length = tonumber(args[1]), tonumber(args[2])
  assert(records and length and length <= records, USAGE)
  math.randomseed((tonumber(args[3]) or os.time()) * 1000 + thread_index)
end

function request()
  local first = math.random(0, records - length)
  return wrk.format("GET", string.format("/v0/entities?start=k%010d&end=k%010d", first, first + length))
end
