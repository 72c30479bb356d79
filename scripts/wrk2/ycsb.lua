-- SPDX-License-Identifier: Apache-2.0
-- The workloads A to F of the Yahoo! Cloud Serving Benchmark (Cooper et al., SoCC 2010) on report 002's ids, k0000000000 and up, written by
--   put-sequential.lua ... -- 0 1 "" BYTES k%010d
--   A: half reads, half updates   B: 95 % reads, 5 % updates   C: reads   D: 95 % reads of what was written last, 5 % new records
--   E: 95 % scans of 1 to 100 records, 5 % new records          F: half reads, half a read and then an update of the same record
-- Arguments: LETTER RECORDS [THETA [BYTES [SEED [STRIDE]]]], how skewed the choice of records is (0.99; 0: evenly, at most 0.999), and a value's length (100).
-- The most popular records are scattered over the ids, as in YCSB, but for D. STRIDE is how far apart the ids of one record and the next popular one are;
-- with 1 the most popular records are neighbours. Each thread gives its new records ids of its own, above those of the RECORDS.
--
--   wrk -t1 -c16 -d30s -R3000 -L -s ycsb.lua http://localhost:8080 -- B 900000

local TEXT = "0123456789abcdefghijklmnopqrstuvwxyz "
local READS = {A = 0.5, B = 0.95, C = 1, D = 0.95, E = 0.95, F = 0.5}
local INSERTS = {D = true, E = true}
local USAGE = "ycsb.lua: say which workload, and how many records there are: URL -- A|B|C|D|E|F RECORDS [THETA [BYTES [SEED [STRIDE]]]]"
local threads = 0

function setup(thread)
  thread:set("thread_index", threads)
  threads = threads + 1
end

-- Ranks from 0, by the method of Gray et al.: Quickly Generating Billion-Record Synthetic Databases (SIGMOD 1994).
local function zipf(count, theta)
  local sum = 0
  for i = 1, count do
    sum = sum + 1 / i ^ theta
  end
  local alpha = 1 / (1 - theta)
  local eta = (1 - (2 / count) ^ (1 - theta)) / (1 - (1 + 0.5 ^ theta) / sum)
  return function()
    local u = math.random()
    if u * sum < 1 then
      return 0
    elseif u * sum < 1 + 0.5 ^ theta then
      return 1
    end
    return math.min(count - 1, math.floor(count * (eta * u - eta + 1) ^ alpha))
  end
end

local function divisor(a, b)
  while b > 0 do
    a, b = b, a % b
  end
  return a
end

function init(args)
  letter, records = args[1], tonumber(args[2])
  assert(READS[letter] and records and records >= 2, USAGE)
  local theta = tonumber(args[3]) or 0.99
  assert(theta >= 0 and theta <= 0.999, "ycsb.lua: THETA must be from 0 to 0.999")
  math.randomseed((tonumber(args[5]) or os.time()) * 1000 + thread_index)
  rank = zipf(records, theta)
  stride = tonumber(args[6]) or math.floor(records * 0.618) + 1 -- without a divisor in common with RECORDS, so that each rank has an id of its own
  while divisor(records, stride) > 1 do
    stride = stride + 1
  end
  local bytes = tonumber(args[4]) or 100
  value = string.rep(TEXT, math.ceil(bytes / #TEXT)):sub(1, bytes)
  first_new = records + thread_index * 1e8
  new = 0
end

local function id(number)
  return string.format("k%010d", number)
end

local function get(number)
  return wrk.format("GET", "/v0/entity?id=" .. id(number))
end

local function put(number)
  return wrk.format("PUT", "/v0/entity?id=" .. id(number), nil, value)
end

-- D reads what this thread wrote last, and then the newest of what was there before.
local function latest(age)
  return age < new and first_new + new - 1 - age or math.max(0, records - 1 - (age - new))
end

function request()
  if read_before then
    local number = read_before
    read_before = nil
    return put(number)
  end
  local drawn = rank()
  local reads = math.random() < READS[letter]
  if INSERTS[letter] and not reads then
    new = new + 1
    return put(first_new + new - 1)
  elseif letter == "D" then
    return get(latest(drawn))
  end
  local number = (drawn * stride) % records
  if letter == "E" then
    return wrk.format("GET", "/v0/entities?start=" .. id(number) .. "&end=" .. id(number + math.random(100)))
  elseif reads then
    return get(number)
  elseif letter == "F" then
    read_before = number
    return get(number)
  end
  return put(number)
end
