// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo.traffic;

import io.safebunny.doubles.ForwardingTransport;
import io.safebunny.transport.Consumption;
import io.safebunny.transport.DeliveryHandler;
import io.safebunny.transport.Pace;
import io.safebunny.transport.Transport;
import java.util.concurrent.CompletableFuture;
import org.springframework.beans.factory.config.BeanPostProcessor;

/** Sends, but leaves all messages to other instances, except those that were set aside for people. */
public final class OnlookingTransport extends ForwardingTransport {

    private OnlookingTransport(Transport transport) {
        super(transport);
    }

    /** Wraps whatever transport a node has. */
    public record Onlooker() implements BeanPostProcessor {
        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            return bean instanceof Transport transport ? new OnlookingTransport(transport) : bean;
        }
    }

    /** Of nothing. */
    private static final class None implements Consumption {
        @Override
        public void pace(Pace pace) {}

        @Override
        public CompletableFuture<Void> stop() {
            return CompletableFuture.completedFuture(null);
        }
    }

    @Override
    public Consumption consume(String queue, int prefetch, DeliveryHandler handler) {
        return queue.endsWith(WatchedTransport.POISON) ? transport.consume(queue, prefetch, handler) : new None();
    }
}
