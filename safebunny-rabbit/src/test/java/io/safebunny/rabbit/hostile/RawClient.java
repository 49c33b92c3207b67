// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.hostile;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * Speaks AMQP 0-9-1 without the client library, which refuses to write much of what is hostile: one connection, one channel in confirm
 * mode. Not thread-safe.
 */
final class RawClient implements AutoCloseable {

    private static final int METHOD = 1;
    private static final int HEADER = 2;
    private static final int BODY = 3;
    private static final int END = 0xCE;
    private static final int SILENCE = 30_000;

    /** The broker's answer to one message. */
    enum Answer {
        TAKEN,
        /** No queue takes the key. */
        RETURNED,
        NACKED,
        CHANNEL_CLOSED,
        CONNECTION_CLOSED
    }

    private final Socket socket;
    private final DataInputStream in;
    private final OutputStream out;
    private int frameMax = 4096;
    private final NavigableSet<Long> unconfirmed = new TreeSet<>();
    private long published;
    private long confirmed;
    private long returned;
    private long nacked;
    private String closedBecause = "";
    private boolean channelClosed;
    private boolean connectionClosed;

    @SuppressWarnings("AddressSelection") // a test broker has one
    private RawClient(String host, int port) throws IOException {
        socket = new Socket(host, port);
        socket.setSoTimeout(SILENCE);
        socket.setTcpNoDelay(true);
        in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), 1 << 16));
        out = new BufferedOutputStream(socket.getOutputStream(), 1 << 16);
    }

    static RawClient connect(String host, int port, String virtualHost, String user, String password)
            throws IOException {
        RawClient client = new RawClient(host, port);
        client.open(virtualHost, user, password);
        return client;
    }

    private void open(String virtualHost, String user, String password) throws IOException {
        out.write(new byte[] {'A', 'M', 'Q', 'P', 0, 0, 9, 1});
        out.flush();
        awaitMethod(10, 10);
        byte[] capabilities = Octets.entry(
                "capabilities",
                Octets.table(
                        Octets.entry("publisher_confirms", new byte[] {'t', 1}),
                        Octets.entry("basic.nack", new byte[] {'t', 1})));
        byte[] named = Octets.entry("connection_name", Octets.text("hostile"));
        send(
                0,
                method(10, 11)
                        .longString(new Octets().raw(named).raw(capabilities).toBytes())
                        .shortString("PLAIN")
                        .longString(Octets.utf8("\0" + user + "\0" + password))
                        .shortString("en_US"));
        DataInputStream tune = awaitMethod(10, 30);
        int channelMax = tune.readUnsignedShort();
        frameMax = tune.readInt();
        send(0, method(10, 31).shortInt(channelMax).longInt(frameMax).shortInt(0));
        send(0, method(10, 40).shortString(virtualHost).shortString("").octet(0));
        awaitMethod(10, 41);
        openChannel();
    }

    private void openChannel() throws IOException {
        send(1, method(20, 10).shortString(""));
        awaitMethod(20, 11);
        send(1, method(85, 10).octet(0));
        awaitMethod(85, 11);
        unconfirmed.clear();
        published = 0;
        confirmed = 0;
        channelClosed = false;
    }

    /** The largest encoded properties, with what comes before them in their frame. */
    int largestProperties() {
        return frameMax - 8 - 12;
    }

    /** Sends one and waits for the answer. After {@link Answer#CONNECTION_CLOSED} this client is of no more use. */
    Answer ask(HostileMessage message) throws IOException {
        long returnedBefore = returned;
        long nackedBefore = nacked;
        if (channelClosed) {
            openChannel();
        }
        try {
            publish(message);
            out.flush();
            while (confirmed < published && !channelClosed && !connectionClosed) {
                readFrame();
            }
        } catch (IOException e) { // closed without a word
            connectionClosed = true;
            closedBecause = String.valueOf(e.getMessage());
        }
        if (connectionClosed) {
            return Answer.CONNECTION_CLOSED;
        }
        if (channelClosed) {
            return Answer.CHANNEL_CLOSED;
        }
        return nacked > nackedBefore ? Answer.NACKED : returned > returnedBefore ? Answer.RETURNED : Answer.TAKEN;
    }

    /** Sends one, with so many unconfirmed at most. */
    void pour(HostileMessage message, int unconfirmed) throws IOException {
        publish(message);
        if (published - confirmed >= unconfirmed) {
            awaitConfirms(unconfirmed / 2);
        }
    }

    /** @throws IOException the broker closed the channel or the connection, with its reason */
    void awaitConfirms(long unconfirmed) throws IOException {
        out.flush();
        while (published - confirmed > unconfirmed) {
            readFrame();
            if (channelClosed || connectionClosed) {
                throw new IOException(closedBecause);
            }
        }
    }

    boolean isOpen() {
        return !connectionClosed;
    }

    String closedBecause() {
        return closedBecause;
    }

    long returned() {
        return returned;
    }

    long nacked() {
        return nacked;
    }

    private void publish(HostileMessage message) throws IOException {
        unconfirmed.add(++published);
        send(
                1,
                method(60, 40)
                        .shortInt(0)
                        .shortString(message.exchange())
                        .shortString(message.routingKey())
                        .octet(1)); // mandatory
        byte[] body = message.body();
        frame(
                HEADER,
                1,
                new Octets()
                        .shortInt(60)
                        .shortInt(0)
                        .longLong(body.length)
                        .raw(message.encodedProperties())
                        .toBytes());
        int chunk = frameMax - 8;
        for (int from = 0; from < body.length; from += chunk) {
            frame(BODY, 1, Arrays.copyOfRange(body, from, Math.min(body.length, from + chunk)));
        }
    }

    private static Octets method(int type, int id) {
        return new Octets().shortInt(type).shortInt(id);
    }

    private void send(int channel, Octets method) throws IOException {
        frame(METHOD, channel, method.toBytes());
        if (channel == 0 || method.toBytes()[1] != 60) {
            out.flush();
        }
    }

    private void frame(int type, int channel, byte[] payload) throws IOException {
        out.write(new Octets()
                .octet(type)
                .shortInt(channel)
                .longInt(payload.length)
                .toBytes());
        out.write(payload);
        out.write(END);
    }

    private DataInputStream awaitMethod(int type, int id) throws IOException {
        while (true) {
            Frame frame = nextFrame();
            if (frame.isMethod(type, id)) {
                return frame.arguments();
            }
            received(frame);
            if (connectionClosed || (channelClosed && type != 20)) {
                throw new IOException("The broker closed it: " + closedBecause);
            }
        }
    }

    private void readFrame() throws IOException {
        received(nextFrame());
    }

    private Frame nextFrame() throws IOException {
        int type = in.readUnsignedByte();
        int channel = in.readUnsignedShort();
        byte[] payload = new byte[in.readInt()];
        in.readFully(payload);
        if (in.readUnsignedByte() != END) {
            throw new IOException("No end of the frame");
        }
        return new Frame(type, channel, payload);
    }

    private void received(Frame frame) throws IOException {
        if (frame.isMethod(60, 80) || frame.isMethod(60, 120)) {
            DataInputStream arguments = frame.arguments();
            long tag = arguments.readLong();
            boolean multiple = (arguments.readUnsignedByte() & 1) == 1;
            confirmed(tag, multiple, frame.isMethod(60, 120));
        } else if (frame.isMethod(60, 50)) {
            returned++;
        } else if (frame.isMethod(20, 40)) {
            closedBecause = reason(frame);
            channelClosed = true;
            send(1, method(20, 41));
        } else if (frame.isMethod(10, 50)) {
            closedBecause = reason(frame);
            connectionClosed = true;
            send(0, method(10, 51));
        }
    }

    private void confirmed(long tag, boolean multiple, boolean no) {
        if (multiple) {
            long before = unconfirmed.size();
            unconfirmed.headSet(tag, true).clear();
            nacked += no ? before - unconfirmed.size() : 0;
        } else {
            unconfirmed.remove(tag);
            nacked += no ? 1 : 0;
        }
        confirmed = published - unconfirmed.size();
    }

    private static String reason(Frame frame) throws IOException {
        DataInputStream arguments = frame.arguments();
        int code = arguments.readUnsignedShort();
        byte[] text = new byte[arguments.readUnsignedByte()];
        arguments.readFully(text);
        return code + " " + new String(text, StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    private record Frame(int type, int channel, byte[] payload) {

        boolean isMethod(int method, int id) {
            return type == METHOD
                    && payload.length >= 4
                    && (payload[0] << 8) + payload[1] == method
                    && (payload[2] << 8) + payload[3] == id;
        }

        DataInputStream arguments() {
            return new DataInputStream(new ByteArrayInputStream(payload, 4, payload.length - 4));
        }
    }
}
