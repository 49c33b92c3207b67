// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.broker;

import io.safebunny.test.broker.server.ServerRoot;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Chooses and starts the one broker of this JVM. Thread-safe. */
final class SharedBroker {

    static final String GIVEN = "SAFEBUNNY_TEST_RABBIT";

    private static final Logger log = LoggerFactory.getLogger(SharedBroker.class);

    private static @Nullable TestBroker broker;
    private static @Nullable String failure;

    private SharedBroker() {}

    /** The broker. A failed start is not repeated: later tests fail at once for the same reason. */
    static synchronized TestBroker get() {
        if (failure != null) {
            throw new BrokerUnavailableException(failure);
        }
        TestBroker found = broker;
        if (found == null) {
            found = chooseOnce();
            broker = found;
        }
        return found;
    }

    private static TestBroker chooseOnce() {
        try {
            return choose();
        } catch (BrokerUnavailableException e) {
            failure = e.getMessage();
            throw e;
        }
    }

    private static TestBroker choose() {
        String given = System.getenv(GIVEN);
        if (given != null && !given.isBlank()) {
            log.info("Tests use the broker given by {}", GIVEN);
            return TestBroker.given(parse(given));
        }
        Optional<Path> root = RabbitNode.namedRoot();
        if (root.isEmpty() && DockerEngine.answers()) {
            log.info("Tests use the container image {}", DockerEngine.image());
            return DockerEngine.startBroker();
        }
        Path server = root.or(RabbitNode::installedRoot).orElseThrow(SharedBroker::nothingFound);
        log.info("Tests use a private node of the server under {}", server);
        return RabbitNode.start(server).broker();
    }

    private static URI parse(String given) {
        try {
            return URI.create(given);
        } catch (IllegalArgumentException e) {
            // omits text and cause, because both may contain the password
            throw new BrokerUnavailableException("Cannot use the broker given by " + GIVEN
                    + ": its value is not a URI. Set it to amqp://USER:PASSWORD@HOST:PORT or unset it.");
        }
    }

    private static BrokerUnavailableException nothingFound() {
        return new BrokerUnavailableException("No broker for the integration tests: " + GIVEN + " and "
                + RabbitNode.ROOT + " are not set, no Docker engine answers, and there is no /"
                + ServerRoot.SERVER + ". Run bin/test, which installs what is missing, or start Docker, or set " + GIVEN
                + "=amqp://USER:PASSWORD@HOST:PORT.");
    }
}
