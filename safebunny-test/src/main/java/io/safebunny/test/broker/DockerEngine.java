// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.broker;

import java.net.URI;
import java.util.UUID;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.rabbitmq.RabbitMQContainer;
import org.testcontainers.utility.DockerImageName;

/** Runs the broker as a container. The only class that uses Testcontainers, which is optional. */
final class DockerEngine {

    private static final String DEFAULT_IMAGE = "rabbitmq:4.3-management";

    private DockerEngine() {}

    static boolean answers() {
        try {
            return DockerClientFactory.instance().isDockerAvailable();
        } catch (NoClassDefFoundError testcontainersIsNotOnTheClassPath) {
            return false;
        }
    }

    static String image() {
        return System.getenv().getOrDefault("SAFEBUNNY_TEST_RABBIT_IMAGE", DEFAULT_IMAGE);
    }

    /** Starts a container that ends with this JVM. */
    @SuppressWarnings("resource")
    static TestBroker startBroker() {
        // its ports are open to the network, not only to localhost
        RabbitMQContainer container = new RabbitMQContainer(
                        DockerImageName.parse(image()).asCompatibleSubstituteFor("rabbitmq"))
                .withAdminPassword(UUID.randomUUID().toString());
        try {
            container.start();
        } catch (RuntimeException e) {
            throw new BrokerUnavailableException(
                    "Cannot start a broker [image=" + image()
                            + "]: the Docker engine answers, but the container did not"
                            + " start. See the cause, or set " + SharedBroker.GIVEN + " to use another broker.",
                    e);
        }
        Runtime.getRuntime().addShutdownHook(new Thread(container::stop, "stop-broker-container"));
        String credentials = container.getAdminUsername() + ":" + container.getAdminPassword() + "@";
        URI uri = URI.create("amqp://" + credentials + container.getHost() + ":" + container.getAmqpPort());
        return TestBroker.ownedBy(uri, URI.create(container.getHttpUrl()));
    }
}
