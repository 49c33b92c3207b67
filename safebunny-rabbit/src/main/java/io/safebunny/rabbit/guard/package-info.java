// SPDX-License-Identifier: Apache-2.0
/** Sockets that protect the client from headers nested so deeply that parsing them would break the connection again and again. */
@NullMarked
package io.safebunny.rabbit.guard;

import org.jspecify.annotations.NullMarked;
