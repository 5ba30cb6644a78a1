import { plural } from '../amounts.ts';
import type { Words } from '../dictionary.ts';

/** Mail that SMTP rejected. */
export default {
  meanings: {
    unknown_recipient: 'Ningún buzón tiene esta dirección. Revisar cómo está escrita o crear el buzón.',
    no_account:
      'El servidor aún no tiene ninguna cuenta. Si antes las tenía, comprobar que esté montado el disco correcto.',
    foreign_network: 'La red del cliente no puede usar esta trap.',
    relay_refused: 'Este servidor no acepta correo para ese dominio.',
    domain_put_off:
      'Faltan los registros DNS del dominio. Los remitentes lo reintentan durante unos días. Véase «Dominios».',
    domain_stopped: 'El dominio ya no está verificado. Véase «Dominios».',
    account_put_off: 'La cuenta está suspendida. Los remitentes lo reintentan durante unos días.',
    account_stopped: 'La cuenta lleva suspendida demasiado tiempo para aplazar el correo.',
    trap_full: 'La trap tiene todos los buzones que permite el plan. Hay que eliminar algunos.',
    trap_closed: 'La clave de API se revocó, o la cuenta se suspendió, durante la conexión.',
    wrong_key: 'La contraseña SMTP no es una clave de API de este servidor.',
    not_a_trap: 'La clave de API es de una cuenta que no es una trap.',
    account_suspended: 'La clave de API es de una cuenta que no está activa.',
    starttls_off:
      'El cliente exige TLS, que aquí está desactivado. Hay que desactivarlo en él o definir POSTERN_SMTP_STARTTLS=on.',
    auth_in_clear: 'El cliente intentó autenticarse sin TLS. Hay que activar STARTTLS o TLS en él.',
    auth_in_mail: 'El cliente intentó autenticarse mientras enviaba un mensaje.',
    too_many_wrong_keys: 'Demasiadas contraseñas SMTP incorrectas desde esta dirección.',
    reports_only: 'Esa dirección solo acepta informes de entrega, y esto no lo era.',
    too_many_recipients: 'Demasiados destinatarios en un mensaje. El remitente reintentará el resto.',
    too_large: 'El mensaje supera el tamaño máximo de este servidor.',
    looping: 'El mensaje está en un bucle. Probablemente una regla de reenvío lo devuelve.',
    bare_dot_line: 'El mensaje tiene finales de línea no válidos, que sirven para SMTP smuggling.',
    store_full: 'El disco estaba casi lleno. El remitente lo reintentará.',
    cut_off:
      'La conexión terminó antes de que llegara el mensaje completo. La mayoría de los remitentes lo reintentarán.',
    fault: 'Un error interno. El remitente lo reintentará. Los detalles están en el registro.',
    server_full: 'Todas las conexiones SMTP estaban en uso. El remitente lo reintentará.',
    made_room: 'La conexión se cerró para dejar sitio a otra. El remitente lo reintentará.',
    shutting_down: 'El servidor se estaba cerrando. El remitente lo reintentará.',
    too_many_connections: 'Demasiadas conexiones simultáneas de este remitente. Lo reintentará.',
    too_many_connects: 'Demasiadas conexiones nuevas por minuto de este remitente. Lo reintentará.',
    too_many_faults: 'Demasiados comandos no válidos o destinatarios desconocidos en una conexión.',
    session_too_long: 'La conexión estuvo abierta demasiado tiempo.',
    fault_on_demand: 'Lo pidió una regla de fallos SMTP de la trap.',
    too_slow: 'El mensaje llegó demasiado despacio.',
  },
  title: 'Correo rechazado',
  about: (days: number) =>
    plural(days, {
      one: `Correo a esta cuenta que se rechazó, y por qué. Se conserva ${days} día.`,
      other: `Correo a esta cuenta que se rechazó, y por qué. Se conserva ${days} días.`,
    }),
  empty: 'No se ha rechazado ningún correo a esta cuenta.',
  emptyForOperator:
    'No se ha rechazado ningún correo a esta cuenta. El correo a direcciones desconocidas está en «Servidor», «Todo el correo rechazado».',
  allTitle: 'Todo el correo rechazado',
  allAbout:
    'Correo rechazado, para cualquier destinatario. Las entradas parecidas se agrupan; en una avalancha solo se conserva una parte.',
  allEmpty: 'No se ha rechazado ningún correo a este servidor.',
  none: 'Ningún correo rechazado',
  dropped: 'cortada',
  noRecipient: 'Sin destinatario',
  span: (first: string, last: string) => `entre ${first} y ${last}`,
  from: 'De {from} por {client}: {reply}',
  report: '<> (informe de entrega)',
} satisfies Words['diary'];
