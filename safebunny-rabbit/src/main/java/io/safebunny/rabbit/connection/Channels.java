// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.connection;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import io.safebunny.failure.details.Causes;
import java.io.IOException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Opens and closes channels and reads close reasons, without the client library's special cases. */
public final class Channels {

    private Channels() {}

    public static Channel open(Connection connection) throws IOException {
        Channel channel = connection.createChannel();
        if (channel == null) {
            throw new IOException(
                    "No channel number is free on connection %s. Raise channel_max on the broker, or set fewer consumers"
                            .formatted(connection.getClientProvidedName()));
        }
        return channel;
    }

    public static void closeQuietly(Channel channel) {
        try {
            if (channel.isOpen()) {
                channel.close();
            }
        } catch (IOException | TimeoutException | ShutdownSignalException e) {
            // ignored: the channel is closed anyway
        }
    }

    /** The broker's reason for closing the channel or connection, if the failure carries one. */
    public static AMQP.Channel.@Nullable Close closeReason(@Nullable Throwable failure) {
        for (Throwable cause : Causes.of(failure)) {
            if (cause instanceof ShutdownSignalException signal
                    && signal.getReason() instanceof AMQP.Channel.Close close) {
                return close;
            }
        }
        return null;
    }

    /** Whether the broker does not know the declared exchange type, or has an exchange or queue of that name with other properties. */
    public static boolean isRefusal(Throwable failure) {
        for (Throwable cause : Causes.of(failure)) {
            if (cause instanceof ShutdownSignalException signal
                    && ((signal.getReason() instanceof AMQP.Connection.Close connection
                                    && connection.getReplyCode() == AMQP.COMMAND_INVALID)
                            || (signal.getReason() instanceof AMQP.Channel.Close channel
                                    && channel.getReplyCode() == AMQP.PRECONDITION_FAILED))) {
                return true;
            }
        }
        return false;
    }

    /** The broker's reply text, or the innermost exception's type and message. */
    public static String explain(Throwable failure) {
        Throwable innermost = failure;
        for (Throwable cause : Causes.of(failure)) {
            if (cause instanceof ShutdownSignalException signal) {
                if (signal.getReason() instanceof AMQP.Channel.Close close) {
                    return close.getReplyText();
                }
                if (signal.getReason() instanceof AMQP.Connection.Close close) {
                    return close.getReplyText();
                }
            }
            innermost = cause;
        }
        return innermost.getClass().getSimpleName() + ": " + innermost.getMessage();
    }
}
