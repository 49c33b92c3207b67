// SPDX-License-Identifier: Apache-2.0
/** Requests and responses of the endpoints, whatever they are about: parameters read, unknown ones refused, problems as RFC 9457 has them. */
@NullMarked
package io.safebunny.autoconfigure.actuate.http;

import org.jspecify.annotations.NullMarked;
