// SPDX-License-Identifier: Apache-2.0
/** Requests and responses of all endpoints: reads parameters, refuses unknown ones, and reports problems in the form of RFC 9457. */
@NullMarked
package io.safebunny.autoconfigure.actuate.http;

import org.jspecify.annotations.NullMarked;
