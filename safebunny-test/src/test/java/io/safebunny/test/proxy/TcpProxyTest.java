// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.proxy;

import static io.safebunny.test.proxy.Frames.GREETING;
import static io.safebunny.test.proxy.Frames.ack;
import static io.safebunny.test.proxy.Frames.body;
import static io.safebunny.test.proxy.Frames.header;
import static io.safebunny.test.proxy.Frames.join;
import static io.safebunny.test.proxy.Frames.publish;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class TcpProxyTest {

    private static final int FILL = 32 * 1024 * 1024;

    @Test
    void forwardsBothWaysAndEndsInOrder() throws Exception {
        try (FakeServer server = FakeServer.echo();
                TcpProxy proxy = TcpProxy.to("localhost", server.port());
                Socket client = connect(proxy)) {
            client.getOutputStream().write("hello".getBytes(StandardCharsets.UTF_8));
            client.shutdownOutput();

            assertThat(client.getInputStream().readAllBytes()).asString().isEqualTo("hello");
            await().until(() -> proxy.connections() == 0);
        }
    }

    @Test
    void cutResetsWhatIsThereAndTakesNewConnections() throws Exception {
        try (FakeServer server = FakeServer.echo();
                TcpProxy proxy = TcpProxy.to("localhost", server.port());
                Socket before = connect(proxy)) {
            assertEchoes(before);
            proxy.cut();

            assertReset(before);
            assertThat(proxy.connections()).isZero();
            assertThat(server.sawEnd()).isFalse();
            try (Socket after = connect(proxy)) {
                assertEchoes(after);
                assertThat(proxy.connections()).isOne();
            }
        }
    }

    @Test
    void stallHoldsEveryByteAndFillsTheSendersBuffers() throws Exception {
        try (FakeServer server = FakeServer.silent();
                TcpProxy proxy = TcpProxy.to("localhost", server.port());
                Socket client = connect(proxy)) {
            proxy.stall();
            AtomicLong sent = new AtomicLong();
            Link.daemon("sender", () -> fill(client, sent));
            AtomicLong seen = new AtomicLong();
            await().during(Duration.ofMillis(300)).until(() -> seen.getAndSet(sent.get()) == sent.get());
            assertThat(sent).hasValueLessThan(FILL);
            assertThat(server.received()).isEmpty();
            assertThat(proxy.connections()).isOne();

            proxy.resume();
            await().until(() -> sent.get() == FILL && server.received().length == FILL);
        }
    }

    @Test
    void cutEndsAStalledConnection() throws Exception {
        try (FakeServer server = FakeServer.echo();
                TcpProxy proxy = TcpProxy.to("localhost", server.port());
                Socket client = connect(proxy)) {
            proxy.stall();
            client.getOutputStream().write(1);
            client.setSoTimeout(100);
            assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);
            client.setSoTimeout(0);

            proxy.cut();
            assertReset(client);
        }
    }

    @Test
    void refuseResetsOnlyNewConnections() throws Exception {
        try (FakeServer server = FakeServer.echo();
                TcpProxy proxy = TcpProxy.to("localhost", server.port());
                Socket before = connect(proxy)) {
            assertEchoes(before);
            proxy.refuse();
            try (Socket refused = connect(proxy)) {
                assertReset(refused);
            }
            assertEchoes(before);
            proxy.accept();
            try (Socket accepted = connect(proxy)) {
                assertEchoes(accepted);
            }
        }
    }

    @Test
    void resetsWhenTheServerIsGone() throws Exception {
        FakeServer server = FakeServer.echo();
        server.close();
        try (TcpProxy proxy = TcpProxy.to("localhost", server.port());
                Socket client = connect(proxy)) {
            assertReset(client);
            await().until(() -> proxy.connections() == 0);
        }
    }

    @Test
    void keepsTheConfirmFromTheClient() throws Exception {
        try (FakeServer server = FakeServer.silent();
                TcpProxy proxy = TcpProxy.to("localhost", server.port());
                Socket client = connect(proxy)) {
            client.getOutputStream().write(GREETING);
            await().until(() -> server.received().length == GREETING.length);
            server.say(ack(1, 1));
            assertThat(client.getInputStream().readNBytes(ack(1, 1).length)).isEqualTo(ack(1, 1));
            proxy.cutAtNextConfirm();
            server.say(ack(1, 2));

            assertReset(client);
            assertThat(proxy.isArmed()).isFalse();
            await().until(server::sawEnd);
        }
    }

    @Test
    void cutsRightAfterTheLastPublicationWithItsBody() throws Exception {
        try (FakeServer server = FakeServer.silent();
                TcpProxy proxy = TcpProxy.to("localhost", server.port());
                Socket client = connect(proxy)) {
            proxy.cutAfterPublishes(1);
            byte[] first = join(GREETING, publish(1), header(1, 2), body(1, "ab"));
            client.getOutputStream().write(join(first, publish(1), header(1, 0), ack(1, 1)));

            assertReset(client);
            await().until(server::sawEnd);
            assertThat(server.received()).isEqualTo(first);
        }
    }

    private static void fill(Socket client, AtomicLong sent) {
        byte[] piece = new byte[64 * 1024];
        try {
            while (sent.get() < FILL) {
                client.getOutputStream().write(piece);
                sent.addAndGet(piece.length);
            }
        } catch (IOException closed) {
            return;
        }
    }

    private static Socket connect(TcpProxy proxy) throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), proxy.port());
    }

    private static void assertEchoes(Socket client) throws IOException {
        client.getOutputStream().write(7);
        assertThat(client.getInputStream().read()).isEqualTo(7);
    }

    private static void assertReset(Socket client) {
        assertThatThrownBy(() -> client.getInputStream().read())
                .isInstanceOf(SocketException.class)
                .hasMessageContaining("reset");
    }
}
