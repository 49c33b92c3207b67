// SPDX-License-Identifier: Apache-2.0
/** What users put around the handling and the publishing of a message. They see it, may stop it, and never settle it. */
@NullMarked
package io.safebunny.middleware;

import org.jspecify.annotations.NullMarked;
