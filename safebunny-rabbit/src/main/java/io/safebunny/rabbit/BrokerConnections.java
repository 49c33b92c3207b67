// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import org.springframework.amqp.rabbit.connection.ConnectionFactory;

/**
 * Factories for the three connections of a transport. Do not share them with other code.
 *
 * @param publish makes the publishing connection
 * @param consume makes the consuming connection
 * @param deadLetters makes the connection for dead letters: separate, so that a harmful one cannot break the other two
 */
public record BrokerConnections(ConnectionFactory publish, ConnectionFactory consume, ConnectionFactory deadLetters) {}
