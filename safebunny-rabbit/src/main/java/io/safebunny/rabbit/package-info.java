// SPDX-License-Identifier: Apache-2.0
/**
 * The RabbitMQ transport: assembles the packages below it, and decides where each message is published. Only this module uses the client
 * library.
 */
@NullMarked
package io.safebunny.rabbit;

import org.jspecify.annotations.NullMarked;
