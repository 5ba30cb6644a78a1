import { number, plural } from '../amounts.ts';
import type { Words } from '../dictionary.ts';

/** Where programs send their test mail, and how it fails on purpose. */
export default {
  about: 'El correo a cualquier dirección se acepta y se guarda aquí. No se reenvía nada.',
  aboutRelease:
    'El correo a cualquier dirección se acepta y se guarda aquí. Solo se reenvía lo que se libere.',
  settings: 'Configurar la aplicación',
  replaceKey: 'Sustituir YOUR_API_KEY por una clave de API de esta cuenta.',
  frameworks: 'Frameworks',
  environment: 'Variables de entorno',
  settingsFor: (name: string) => `ajustes para ${name}`,
  host: 'Host',
  port: 'Puerto',
  noServer: 'SMTP está desactivado',
  user: 'Usuario y contraseña',
  anyWithKey: 'Cualquier usuario, con una clave de API como contraseña',
  anyOrNone: 'Cualquiera, o vacío',
  encryption: 'Cifrado',
  noEncryption: 'Ninguno',
  also: 'También',
  alsoTls: 'También, con TLS',
  faults: {
    about:
      'Hacer que SMTP rechace, espere o cierre la conexión, para ver cómo reacciona la aplicación. Se aplica el primer fallo que coincida.',
    deleteAll: 'Eliminar todos',
    add: 'Añadir fallo',
    empty: 'Sin fallos: se acepta todo el correo',
    deleteAt: (stage: string) => `Eliminar el fallo en ${stage}`,
    waits: (seconds: string) => `espera ${seconds} s`,
    disconnects: 'cierra la conexión',
    answers: (reply: string) => `responde ${reply}`,
    waitThen: (first: string, second: string) => `${first} y después ${second}`,
    to: (recipient: string) => `a ${recipient}`,
    from: (sender: string) => `de ${sender}`,
    nullPath: 'remitente vacío',
    after: (count: number) => `tras ${number(count)}`,
    times: (count: number) => plural(count, { one: `${number(count)} vez`, other: `${number(count)} veces` }),
    hits: (count: number) =>
      plural(count, {
        one: `activado ${number(count)} vez hasta ahora`,
        other: `activado ${number(count)} veces hasta ahora`,
      }),
    stage: 'Fase',
    whatHappens: 'Qué ocurre',
    refuse: 'Rechazar',
    drop: 'Cerrar la conexión',
    wait: 'Esperar y continuar',
    reply: 'Respuesta',
    seconds: 'Segundos',
    recipient: 'Destinatario',
    recipientHint: 'Vacío para todos; * es cualquier texto.',
    timesLabel: 'Veces',
    timesHint: 'Vacío: sin límite.',
    active: 'Fallos activos',
    byAddress:
      'Sin ninguna regla, una dirección cuyo nombre termina en {later}, {unknown}, {drop} o {slow} da esa respuesta por sí sola.',
    presets: {
      later: { name: 'Reintentar más tarde', about: '450, una vez. La aplicación debería reintentar.' },
      unknown: { name: 'Destinatario desconocido', about: '550. La aplicación no debería reintentar.' },
      full: { name: 'Buzón lleno', about: '452 en el destinatario' },
      spam: { name: 'Rechazado como spam', about: '554 tras el correo completo' },
      lost: { name: 'Conexión perdida', about: 'Cierra la conexión tras el correo completo' },
      slow: { name: 'Servidor lento', about: 'Espera 10 segundos y continúa' },
    },
  },
} satisfies Words['trap'];
