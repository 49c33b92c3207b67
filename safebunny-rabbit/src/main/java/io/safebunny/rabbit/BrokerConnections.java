// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import org.springframework.amqp.rabbit.connection.ConnectionFactory;

/**
 * What makes the three connections of a transport; none of them may be shared with other code.
 *
 * @param publish makes the publishing connection
 * @param consume makes the consuming connection
 * @param deadLetters makes a separate connection for dead letters, so that a harmful one cannot break the others
 */
public record BrokerConnections(ConnectionFactory publish, ConnectionFactory consume, ConnectionFactory deadLetters) {}
