// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.safebunny.proof.demo.command.RabbitAddress;
import io.safebunny.test.broker.TestBroker;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A broker for one test, with a plain AMQP client, as a program in another language would use it. */
final class SagaBroker implements AutoCloseable {

    static final List<String> QUEUES = List.of(
            "orders-PlaceOrder",
            "orders-OrderShipped",
            "orders-PaymentDeclined",
            "orders-PaymentRefunded",
            "billing-OrderPlaced",
            "billing-OutOfStock",
            "shipping-PaymentCaptured",
            "notifications-OrderNews.in");
    static final List<String> ORCHESTRATED_QUEUES = List.of(
            "orders-PlaceOrder",
            "orders-OrderPlaced",
            "orders-OrderNews",
            "orders-SagaFailed",
            "orders-StockReserved",
            "orders-SoldOut",
            "orders-Captured",
            "orders-Declined",
            "orders-Shipped",
            "orders-BunnyUndone",
            "orders-BunnyPoisoned",
            "orders-BunnyRepair",
            "billing-Capture",
            "billing-Refund",
            "shipping-ReserveStock",
            "shipping-ReleaseStock",
            "shipping-ShipGoods",
            "shipping-CallOff",
            "notifications-OrderNews.in");
    static final List<String> POISON_QUEUES =
            List.of("orders-poison", "billing-poison", "shipping-poison", "notifications-poison");

    private final TestBroker broker;
    private final Connection connection;

    private SagaBroker(TestBroker broker, Connection connection) {
        this.broker = broker;
        this.connection = connection;
    }

    /** Uses a separate virtual host if possible; otherwise purges what others left in the saga's queues. */
    static SagaBroker open(String virtualHost) throws Exception {
        TestBroker shared = TestBroker.shared();
        return of(shared.isPrivate() ? shared.createVirtualHost(virtualHost) : shared);
    }

    /** Purges what others left in the saga's queues. */
    static SagaBroker of(TestBroker broker) throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(broker.uri());
        SagaBroker opened = new SagaBroker(broker, factory.newConnection("order-saga-test"));
        opened.purge();
        return opened;
    }

    private void purge() throws IOException {
        for (String queue : QUEUES) {
            purge(queue);
        }
        for (String queue : ORCHESTRATED_QUEUES) {
            purge(queue);
        }
        for (String queue : POISON_QUEUES) {
            purge(queue);
        }
    }

    private void purge(String queue) throws IOException {
        Channel channel = connection.createChannel();
        try {
            channel.queuePurge(queue);
        } catch (IOException e) {
            assertNotFound(e);
        } finally {
            channel.abort();
        }
    }

    private static void assertNotFound(IOException e) throws IOException {
        if (!String.valueOf(e.getCause()).contains("404")) {
            throw e;
        }
    }

    RabbitAddress address() {
        return RabbitAddress.parse(broker.uri().toString());
    }

    /** 20 MB if the broker accepts that; since 4.0 it refuses more than 16 MiB. */
    int largeBody() {
        int major =
                Integer.parseInt(broker.version().substring(0, broker.version().indexOf('.')));
        return major >= 4 ? 12_000_000 : 20_000_000;
    }

    Channel channel() throws IOException {
        return connection.createChannel();
    }

    /** Number of ready messages; fails if the queue does not exist. */
    long messages(String queue) throws IOException {
        Channel channel = connection.createChannel();
        try {
            return channel.messageCount(queue);
        } finally {
            channel.abort();
        }
    }

    /** The properties that the wire contract requires of a foreign publisher. */
    static BasicProperties.Builder contract(String messageId) {
        return new BasicProperties.Builder()
                .messageId(messageId)
                .correlationId("saga-of-" + messageId)
                .type("PlaceOrder")
                .appId("storefront")
                .contentType("application/json")
                .deliveryMode(2);
    }

    static byte[] placeOrder(String orderId) {
        return """
            {"orderId": "%s", "customer": "ada", "cardToken": "tok_visa",
             "lines": [{"sku": "hay", "quantity": 2, "unitPriceCents": 450}]}\
            """.formatted(orderId).getBytes(StandardCharsets.UTF_8);
    }

    static void publish(Channel channel, BasicProperties properties, byte[] body) throws IOException {
        channel.basicPublish("safebunny", "storefront-PlaceOrder", properties, body);
    }

    @Override
    public void close() throws IOException {
        connection.close();
    }
}
