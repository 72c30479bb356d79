-- SPDX-License-Identifier: Apache-2.0
-- The environment that wrk2's scripts expect. Runs once in each Lua state before the user's script.
-- Given by Java: wrk_scheme, wrk_host, wrk_port (a string, or nil), wrk_path, wrk_headers, wrk_seed (or nil), wrk_time_us, wrk_lookup,
-- wrk_connect. Addresses are strings, "ip:port".

io.stdout:setvbuf("line") -- what a script prints must not come after the report

if wrk_seed then
  math.randomseed(wrk_seed)
  math.randomseed = function() end -- os.time() would make each run another one
end

wrk = {
  scheme = wrk_scheme,
  host = wrk_host,
  port = wrk_port,
  method = "GET",
  path = wrk_path,
  headers = wrk_headers,
  body = nil,
  thread = nil,
  addrs = {},
  time_us = wrk_time_us,
  lookup = wrk_lookup,
  connect = wrk_connect,
}

-- One request as text. What is nil comes from the table wrk; a table of headers that is given gets Host and Content-Length.
function wrk.format(method, path, headers, body)
  method = method or wrk.method
  path = path or wrk.path
  headers = headers or wrk.headers
  body = body or wrk.body
  if not headers["Host"] then
    headers["Host"] = wrk.headers["Host"]
  end
  if body ~= nil then
    body = tostring(body)
    headers["Content-Length"] = #body
  else
    headers["Content-Length"] = nil
  end
  local lines = { method .. " " .. path .. " HTTP/1.1" }
  for name, value in pairs(headers) do
    lines[#lines + 1] = name .. ": " .. tostring(value)
  end
  lines[#lines + 1] = ""
  lines[#lines + 1] = body or ""
  return table.concat(lines, "\r\n")
end

-- What a script without request() sends, each time. Built once: nothing in it can change.
function wrk.request()
  return wrk_static
end

-- Java's ways in. They look the script's functions up at each call, because a script may replace them as it goes. Java calls them
-- protected: an error outside of that, as where a script has taken wrk away, would end the process.
function wrk_has(name)
  return type(getfenv(0)[name]) == "function"
end

function wrk_set(value, name)
  wrk[name] = value
end

function wrk_init(args)
  if not wrk.headers["Host"] then
    wrk.headers["Host"] = wrk.port and wrk.host .. ":" .. wrk.port or wrk.host
  end
  if type(init) == "function" then
    init(args)
  end
  wrk_static = wrk.format()
end

function wrk_next()
  if type(request) == "function" then
    return request()
  end
  return wrk.request()
end

function wrk_thread(get, set, stop, address)
  local methods = {
    get = function(_, name) return get(name) end,
    set = function(_, name, value) set(name, value) end,
    stop = function() stop() end,
  }
  return setmetatable({}, {
    __index = function(_, name)
      if name == "addr" then return address() end
      return methods[name]
    end,
    __newindex = function(_, name, value)
      if name ~= "addr" then error("cannot set '" .. tostring(name) .. "' on thread: use thread:set", 2) end
      address(tostring(value))
    end,
  })
end

-- A userdata, because # asks a table's own length only.
function wrk_statistics(count, min, max, mean, stdev, percentile)
  local values = { min = min, max = max, mean = mean, stdev = stdev, percentile = function(_, p) return percentile(p) end }
  local statistics = newproxy(true)
  local meta = getmetatable(statistics)
  meta.__len = function() return count end
  meta.__index = function(_, key)
    if type(key) == "number" then return percentile(100 * key / count) end
    return values[key]
  end
  return statistics
end
