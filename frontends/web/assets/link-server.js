// The page's way to a table: over a WebSocket to the server that the page came from.
"use strict";

/** Opens a table; `message` is called with each message, `lost` when there will be no more. */
function connect({ opened, message, lost }) {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const socket = new WebSocket(`${scheme}://${location.host}/v1/table`);
  socket.onopen = opened;
  socket.onclose = lost;
  socket.onmessage = ({ data }) => message(JSON.parse(data));
  return {
    send: (command) => socket.readyState === WebSocket.OPEN && socket.send(JSON.stringify(command)),
    close: () => { socket.onclose = null; socket.close(); },
  };
}
