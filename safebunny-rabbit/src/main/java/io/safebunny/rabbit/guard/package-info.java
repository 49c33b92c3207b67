// SPDX-License-Identifier: Apache-2.0
/**
 * Sockets that keep what a client cannot bear from it: headers nested so deeply that reading them would end its reader, and with it the
 * connection, again and again.
 */
@NullMarked
package io.safebunny.rabbit.guard;

import org.jspecify.annotations.NullMarked;
