// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import io.safebunny.proof.demo.BadMessages.Bad;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** Empties a poison queue and compares its messages with the ones sent. */
final class PoisonReader extends DefaultConsumer {

    private final List<Bad> sent;
    private final Set<Integer> came = Collections.synchronizedSet(new HashSet<>());
    private final List<String> complaints = Collections.synchronizedList(new ArrayList<>());
    private final AtomicInteger count = new AtomicInteger();

    PoisonReader(Channel channel, List<Bad> sent) {
        super(channel);
        this.sent = sent;
    }

    void read(String queue) throws IOException {
        getChannel().basicQos(200);
        getChannel().basicConsume(queue, false, this);
    }

    /** Number of messages so far. */
    int count() {
        return count.get();
    }

    /** Number of distinct messages so far. */
    int different() {
        return came.size();
    }

    List<String> complaints() {
        return List.copyOf(complaints);
    }

    @Override
    public void handleDelivery(String tag, Envelope envelope, BasicProperties properties, byte[] body)
            throws IOException {
        compare(properties, body);
        getChannel().basicAck(envelope.getDeliveryTag(), false);
        count.incrementAndGet();
    }

    private void compare(BasicProperties properties, byte[] body) {
        Map<String, Object> headers = properties.getHeaders();
        if (!(headers.get(BadMessages.NUMBER) instanceof Integer number) || number < 0 || number >= sent.size()) {
            complaints.add("not one of ours: " + properties);
            return;
        }
        Bad bad = sent.get(number);
        came.add(number);
        String reason = String.valueOf(headers.get("sb-poison-reason"));
        if (!reason.equals(bad.reason())) {
            complaints.add("kind " + bad.kind() + " has the reason " + reason + " instead of " + bad.reason());
        }
        if (!Arrays.equals(body, bad.body())) {
            complaints.add("kind " + bad.kind() + " has another body");
        }
        for (String header : List.of("CC", "BCC", "x-death", "x-delivery-count", "x-delay", "sb-delay", "x-match")) {
            if (headers.containsKey(header)) {
                complaints.add("kind " + bad.kind() + " carries the header " + header);
            }
        }
        if (!String.valueOf(headers.get("sb-poison-queue")).equals("orders-PlaceOrder")
                || !String.valueOf(headers.get("x-original-exchange")).equals("safebunny")
                || !String.valueOf(headers.get("x-original-routingKey")).equals("storefront-PlaceOrder")) {
            complaints.add("kind " + bad.kind() + " does not say where it comes from");
        }
    }
}
