// SPDX-License-Identifier: Apache-2.0
/**
 * The transport on RabbitMQ: puts its rooms together, declares what a node needs on the broker, delays messages, and decides where each
 * is published. Only this package and those below it know the client library.
 */
@NullMarked
package io.safebunny.transport.rabbit;

import org.jspecify.annotations.NullMarked;
