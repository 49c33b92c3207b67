// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.preflight;

import com.rabbitmq.client.AMQP;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.rabbit.topology.Broker;
import io.safebunny.rabbit.topology.Declarations;
import io.safebunny.rabbit.topology.Declarations.Question;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Compares a broker with a topology without changing anything: existence is checked passively, and only existing exchanges and queues are
 * declared as planned, which the broker accepts if they are the same and otherwise refuses. AMQP offers no way to check bindings. Not
 * thread-safe.
 */
final class Comparison implements Broker {

    private final Declarations broker;
    private final List<String> missing = new ArrayList<>();
    private final List<String> different = new ArrayList<>();
    private final List<String> untold = new ArrayList<>();
    private int same;

    Comparison(Declarations broker) {
        this.broker = broker;
    }

    @Override
    public boolean exchange(String name, String type, Map<String, Object> arguments) throws IOException {
        compare(
                "exchange '%s'".formatted(name),
                " (%s)".formatted(type),
                channel -> channel.exchangeDeclarePassive(name),
                channel -> channel.exchangeDeclare(name, type, true, false, arguments));
        return true;
    }

    @Override
    public boolean queue(String name, Map<String, Object> arguments) throws IOException {
        compare(
                "queue '%s'".formatted(name),
                " " + arguments,
                channel -> channel.queueDeclarePassive(name),
                channel -> channel.queueDeclare(name, true, false, false, arguments));
        return true;
    }

    private void compare(String what, String properties, Question exists, Question asPlanned) throws IOException {
        AMQP.Channel.Close absent = broker.refusal(what, exists);
        if (absent != null && absent.getReplyCode() == AMQP.NOT_FOUND) {
            missing.add(what + properties);
            return;
        }
        try {
            if (absent == null && broker.refusal(what, asPlanned) == null) {
                same++;
            } else {
                untold.add(what);
            }
        } catch (ConfigurationException clash) {
            different.add(String.valueOf(clash.getMessage()));
        }
    }

    @Override
    public void bindQueue(String queue, String exchange, String routingKey, Map<String, Object> arguments) {}

    @Override
    public void bindExchange(String exchange, String from, String routingKey, Map<String, Object> arguments) {}

    TopologyDifference result() {
        return new TopologyDifference(missing, different, untold, same);
    }
}
