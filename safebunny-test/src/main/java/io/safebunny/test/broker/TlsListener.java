// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.broker;

import io.safebunny.test.broker.server.NodeFolder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;

/**
 * The TLS listener of a node. Clients need no certificate. The server's certificate is for {@code localhost} and 127.0.0.1.
 *
 * @param port on 127.0.0.1
 * @param caCertificate file with the certificate of the authority that signed the server's certificate, in PEM; deleted when the node is
 *     closed
 */
public record TlsListener(int port, Path caCertificate) {

    private static final int CONNECT_MILLIS = 1_000;

    static TlsListener configure(int port, NodeFolder folder, Path seen) {
        Certificates certificates = Certificates.create(folder.path());
        folder.configure(List.of(
                "listeners.ssl.1 = 127.0.0.1:" + port,
                "ssl_options.cacertfile = " + inside(seen, certificates.authority()),
                "ssl_options.certfile = " + inside(seen, certificates.server()),
                "ssl_options.keyfile = " + inside(seen, certificates.serverKey()),
                "ssl_options.verify = verify_none",
                "ssl_options.fail_if_no_peer_cert = false"));
        return new TlsListener(port, certificates.authority());
    }

    boolean isOpen() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_MILLIS);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static Path inside(Path seen, Path file) {
        return seen.resolve(file.getFileName());
    }
}
