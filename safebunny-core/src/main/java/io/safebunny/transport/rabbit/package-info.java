// SPDX-License-Identifier: Apache-2.0
/** RabbitMQ on Spring AMQP. The only package that knows the client library. */
@NullMarked
package io.safebunny.transport.rabbit;

import org.jspecify.annotations.NullMarked;
