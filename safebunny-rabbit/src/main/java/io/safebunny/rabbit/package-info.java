// SPDX-License-Identifier: Apache-2.0
/**
 * The transport on RabbitMQ: puts its rooms together, and decides where each message is published. Only this module knows the client
 * library.
 */
@NullMarked
package io.safebunny.rabbit;

import org.jspecify.annotations.NullMarked;
